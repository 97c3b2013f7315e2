from django.db import migrations

import evaluations.models.fields


class Migration(migrations.Migration):
    dependencies = [("evaluations", "0020_gate")]

    operations = [
        migrations.AddField(
            model_name="output",
            name="scores",
            field=evaluations.models.fields.JSONTextField(null=True),
        ),
        migrations.AddField(
            model_name="experiment",
            name="source",
            field=evaluations.models.fields.JSONTextField(null=True),
        ),
    ]
