from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('evaluations', '0058_bench_drafts'),
    ]

    operations = [
        migrations.AddField(
            model_name='dataset',
            name='most_comparisons',
            field=models.PositiveIntegerField(null=True),
        ),
    ]
