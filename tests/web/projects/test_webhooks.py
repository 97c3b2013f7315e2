"""The pages of webhooks."""

from evaluations.models import Webhook
from evaluations.webhooks import webhooks
from tests.clients.stub import Reply
from tests.pages import text_of

HOOK = {"url": "https://8.8.8.8/hook/private", "events": ["run.completed"], "secret": ""}


def test_the_secret_of_a_new_webhook_is_on_the_page_once(as_user, alice, project):
    client = as_user(alice)

    created = client.post("/p/default/webhooks/", HOOK, follow=True)
    secret = created.context["shown_once"].secret

    assert created.redirect_chain == [("/p/default/webhooks/", 302)]
    assert secret in created.content.decode()
    webhook = Webhook.objects.get()
    later = [client.get(path) for path in ("/p/default/webhooks/", f"/webhooks/{webhook.pk}/")]
    assert not [page for page in later if secret in page.content.decode()]


def test_a_private_address_is_refused_beside_its_field(as_user, alice, project):
    response = as_user(alice).post("/p/default/webhooks/", HOOK | {"url": "http://10.0.0.1/"})

    assert response.status_code == 400
    assert "url" in response.context["form"].errors
    assert not Webhook.objects.exists()


def test_a_failed_test_stands_in_the_log_with_its_cause(as_user, alice, project, serve, settings):
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]
    server = serve(lambda request: Reply(status=500))
    webhook, _ = webhooks.store(project, alice, server.url, ["run.completed"], "", "https://e.test")

    page = as_user(alice).post(f"/webhooks/{webhook.pk}/test/", follow=True)

    [(_, delivery)] = page.context["deliveries"]
    assert (delivery.status, delivery.http_status) == ("failed", 500)
    assert delivery.cause in page.content.decode()
    assert 'data-state="failed"' in as_user(alice).get("/p/default/webhooks/").content.decode()


def test_an_editor_and_a_stranger_see_no_webhooks(as_user, alice, bob, charlie, project):
    webhook, _ = webhooks.store(project, alice, HOOK["url"], ["run.completed"], "", "https://e.test")

    codes = [as_user(user).get(f"/webhooks/{webhook.pk}/").status_code for user in (bob, charlie)]

    assert codes == [403, 404]


def test_a_cause_that_all_deliveries_share_is_said_once(as_user, alice, project):
    webhook, _ = webhooks.store(project, alice, HOOK["url"], ["run.completed"], "", "https://e.test")
    for _ in range(3):
        webhook.deliveries.create(event="run.completed", cause="The name does not resolve.")

    page = text_of(as_user(alice).get(f"/webhooks/{webhook.pk}/"))

    assert page.count("The name does not resolve.") == 1
    assert "waiting again at" in page


def test_a_new_webhook_is_told_of_what_went_wrong_unless_one_chooses_otherwise(as_user, alice, project):
    page = as_user(alice).get("/p/default/webhooks/").content.decode()

    ticked = [
        part.split('value="')[1].split('"')[0]
        for part in page.split("<input ")
        if " checked" in part.split(">")[0] and 'name="events"' in part
    ]
    assert {"gate.failed", "launch.stopped", "evaluator.failing"} <= {*ticked}
    assert "run.completed" not in ticked
