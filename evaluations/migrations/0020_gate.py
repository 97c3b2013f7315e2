import django.db.models.deletion
import django.utils.timezone
import evaluations.models.fields
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('evaluations', '0019_example_removed'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Gate',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('deleted_at', models.DateTimeField(blank=True, null=True)),
                ('name', models.CharField(max_length=200)),
                ('name_key', models.CharField(editable=False, max_length=800)),
                ('missing', models.CharField(default='worst', max_length=10)),
                ('accepts_inconclusive', models.BooleanField(default=False)),
                ('criteria', evaluations.models.fields.JSONTextField(default=list)),
                ('lock', evaluations.models.fields.JSONTextField(default=dict)),
                ('hash', models.CharField(max_length=64)),
                ('locked_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('baseline', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='evaluations.run')),
                ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('dataset', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='gates', to='evaluations.dataset')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='evaluations.project')),
            ],
            options={
                'ordering': ['-id'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('deleted_at', None)), fields=('project', 'name_key'), name='gate_name')],
            },
        ),
        migrations.CreateModel(
            name='GateCheck',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('verdict', models.CharField(choices=[('pass', 'Pass'), ('fail', 'Fail'), ('inconclusive', 'Inconclusive'), ('changed', 'Changed')], max_length=12)),
                ('is_green', models.BooleanField()),
                ('sentence', models.TextField()),
                ('examples_needed', models.PositiveBigIntegerField(null=True)),
                ('results', evaluations.models.fields.JSONTextField(default=list)),
                ('changes', evaluations.models.fields.JSONTextField(default=list)),
                ('hash', models.CharField(max_length=64)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('gate', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='checks', to='evaluations.gate')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='gate_checks', to='evaluations.run')),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
    ]
