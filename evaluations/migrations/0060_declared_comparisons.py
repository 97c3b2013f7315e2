from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('evaluations', '0059_how_examples_are_drawn'),
    ]

    operations = [
        migrations.AddField(
            model_name='dataset',
            name='most_comparisons',
            field=models.PositiveIntegerField(null=True),
        ),
    ]
