from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('evaluations', '0035_duplicate_rows'),
    ]

    operations = [
        migrations.AddField(
            model_name='job',
            name='done',
            field=models.PositiveIntegerField(default=0),
        ),
    ]
