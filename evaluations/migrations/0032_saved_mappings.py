import django.db.models.deletion
import django.utils.timezone
import evaluations.models.fields
from django.conf import settings
from django.db import migrations, models

PARTS = {'input': 'inputs', 'reference': 'reference', 'metadata': 'metadata'}


def mapping_of(saved):
    """The mapping of the API that these roles, [role, variant] by column or path, had led to."""
    roles = {**saved.columns, **saved.paths}
    having = {role: [source for source, (source_role, _) in roles.items() if source_role == role] for role in (*PARTS, 'key', 'variant')}
    outputs = {variant: source for source, (role, variant) in roles.items() if role == 'output'}
    parts = {part: having[role] for role, part in PARTS.items()}
    mapping = {**parts, 'key': having['key'][0] if having['key'] else None}
    if having['variant']:
        return mapping | {'variant': having['variant'][0], 'output': next(iter(outputs.values()), '')}
    return mapping | {'outputs': outputs}


def spell_as_the_api(apps, schema_editor):
    """A project remembers at most 200. Those with scores are asked for once more."""
    for saved in apps.get_model('evaluations', 'SavedMapping').objects.all():
        if any(role in ('score', 'low score') for role, _ in saved.columns.values()):
            saved.delete()
        else:
            saved.mapping = mapping_of(saved)
            saved.save(update_fields=['mapping'])


class Migration(migrations.Migration):

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ('evaluations', '0031_retention'),
    ]

    operations = [
        migrations.AddField(
            model_name='savedmapping',
            name='mapping',
            field=evaluations.models.fields.JSONTextField(default=dict),
        ),
        migrations.RunPython(spell_as_the_api, migrations.RunPython.noop, elidable=True),
        migrations.RemoveConstraint(
            model_name='savedmapping',
            name='saved_mapping_once',
        ),
        migrations.RemoveField(
            model_name='savedmapping',
            name='columns',
        ),
        migrations.RemoveField(
            model_name='savedmapping',
            name='paths',
        ),
        migrations.AddField(
            model_name='savedmapping',
            name='name',
            field=models.CharField(default='', max_length=200),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='savedmapping',
            name='name_key',
            field=models.CharField(default='', editable=False, max_length=800),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='savedmapping',
            name='created_at',
            field=models.DateTimeField(default=django.utils.timezone.now, editable=False),
        ),
        migrations.AddField(
            model_name='savedmapping',
            name='created_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='savedmapping',
            name='deleted_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='savedmapping',
            name='restored_at',
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AlterField(
            model_name='savedmapping',
            name='header',
            field=models.CharField(blank=True, default='', max_length=64),
        ),
        migrations.AlterField(
            model_name='savedmapping',
            name='project',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='evaluations.project'),
        ),
        migrations.AlterModelOptions(
            name='savedmapping',
            options={'ordering': ['-id']},
        ),
        migrations.AddConstraint(
            model_name='savedmapping',
            constraint=models.UniqueConstraint(condition=models.Q(('deleted_at', None), models.Q(('name_key', ''), _negated=True)), fields=('project', 'name_key'), name='saved_mapping_name'),
        ),
        migrations.AddConstraint(
            model_name='savedmapping',
            constraint=models.UniqueConstraint(condition=models.Q(('name_key', '')), fields=('project', 'header'), name='saved_mapping_once'),
        ),
    ]
