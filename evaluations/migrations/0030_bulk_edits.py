import evaluations.models.fields
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('evaluations', '0029_dataset_schema'),
    ]

    operations = [
        migrations.AddField(
            model_name='datasetimport',
            name='edit',
            field=evaluations.models.fields.JSONTextField(default=dict),
        ),
        migrations.AddField(
            model_name='datasetimport',
            name='selected',
            field=models.BinaryField(null=True),
        ),
        migrations.AlterField(
            model_name='datasetimport',
            name='mode',
            field=models.CharField(choices=[('append', 'Append'), ('merge', 'Merge'), ('mirror', 'Mirror'), ('restore', 'Restore'), ('set', 'Set'), ('replace', 'Replace'), ('delete', 'Delete')], max_length=10),
        ),
    ]
