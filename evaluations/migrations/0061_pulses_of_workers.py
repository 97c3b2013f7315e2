from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('evaluations', '0060_declared_comparisons'),
    ]

    operations = [
        migrations.AlterField(
            model_name='pulse',
            name='name',
            field=models.CharField(max_length=255, primary_key=True, serialize=False),
        ),
    ]
