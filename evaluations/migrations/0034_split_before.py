from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('evaluations', '0033_example_arrays'),
    ]

    operations = [
        migrations.AddField(
            model_name='split',
            name='chosen_before',
            field=models.BinaryField(null=True),
        ),
    ]
