import json
import os
import uuid
from datetime import datetime, timedelta, timezone

from invoicing_client import AuthenticatedClient
from invoicing_client.api.customers_v_1 import create_customer_v1
from invoicing_client.api.invoices_v_1 import create_invoice_v1, list_invoices_v1
from invoicing_client.api.payments_v_1 import create_payment_v1
from invoicing_client.models import (
    Address,
    Country,
    CustomerCreationV1,
    InvoiceCreationV1,
    InvoiceFieldV1,
    PaymentCreationV1,
)

AMOUNT = 3_000_000_000


def join_lists(request):
    """Writes a list as one parameter: the generated code repeats the parameter."""
    params = request.url.params
    request.url = request.url.copy_with(params={name: ",".join(params.get_list(name)) for name in params})


hooks = {"event_hooks": {"request": [join_lists]}}
with AuthenticatedClient(
    base_url=os.environ["API"], token=os.environ["TOKEN"], httpx_args=hooks, raise_on_unexpected_status=True
) as client:
    address = Address(city="London", country=Country.GB)
    body = CustomerCreationV1(name="Ada", address=address)
    assert create_customer_v1.sync(client=client, body=body, dry_run=True).id is None
    customer = create_customer_v1.sync(client=client, body=body)
    invoice = create_invoice_v1.sync(client=client, body=InvoiceCreationV1(customer_id=customer.id, total_cents=AMOUNT))
    create_payment_v1.sync(
        client=client,
        body=PaymentCreationV1(invoice_id=invoice.id, amount_cents=AMOUNT),
        idempotency_key=str(uuid.uuid4()),
    )
    page = list_invoices_v1.sync(
        client=client,
        fields=[
            InvoiceFieldV1.ID,
            InvoiceFieldV1.STATUS,
            InvoiceFieldV1.TOTAL_CENTS,
        ],
        customer_id=customer.id,
        created_from=datetime.now(timezone.utc) - timedelta(days=1),
    )
    problem = create_invoice_v1.sync(client=client, body=InvoiceCreationV1(currency="XXY"))
    rows = [{"id": row.id, "status": row.status.value, "total_cents": row.total_cents} for row in page.data]
    results = {"customer": customer.id, "invoice": invoice.id, "rows": rows, "next": page.next_cursor}
    print(json.dumps({**results, "code": problem.code.value}))
