from django.db import migrations

import evaluations.models.fields


class Migration(migrations.Migration):

    dependencies = [
        ('evaluations', '0068_dataset_of_a_prompt'),
    ]

    operations = [
        migrations.AddField(
            model_name='connection',
            name='last_test',
            field=evaluations.models.fields.JSONTextField(default=dict),
        ),
    ]
