import json
import os
import uuid
from datetime import datetime, timedelta, timezone

import invoicing

AMOUNT = 3_000_000_000

configuration = invoicing.Configuration(host=os.environ["API"], access_token=os.environ["TOKEN"])
configuration.datetime_format = "%Y-%m-%dT%H:%M:%SZ"
with invoicing.ApiClient(configuration) as client:
    invoices = invoicing.InvoicesV1Api(client)
    address = invoicing.Address(city="London", country="GB")
    customers = invoicing.CustomersV1Api(client)
    body = invoicing.CustomerCreationV1(name="Ada", address=address)
    assert customers.create_customer_v1(body, dry_run=True).id is None
    customer = customers.create_customer_v1(body)
    invoice = invoices.create_invoice_v1(invoicing.InvoiceCreationV1(customer_id=customer.id, total_cents=AMOUNT))
    invoicing.PaymentsV1Api(client).create_payment_v1(
        idempotency_key=str(uuid.uuid4()),
        payment_creation_v1=invoicing.PaymentCreationV1(invoice_id=invoice.id, amount_cents=AMOUNT),
    )
    yesterday = datetime.now(timezone.utc) - timedelta(days=1)
    page = invoices.list_invoices_v1(fields=["id", "status", "total_cents"], customer_id=[customer.id], created_from=yesterday)
    try:
        invoices.create_invoice_v1(invoicing.InvoiceCreationV1(currency="XXY"))
        code = None
    except invoicing.ApiException as problem:
        code = problem.data.code
    rows = [{"id": row.id, "status": row.status, "total_cents": row.total_cents} for row in page.data]
    results = {"customer": customer.id, "invoice": invoice.id, "rows": rows, "next": page.next_cursor, "code": code}
    print(json.dumps(results))
