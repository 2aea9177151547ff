package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	invoicing "generators/output/openapi-generator-go"

	"github.com/google/uuid"
)

const amount = 3_000_000_000

func must[T any](value T, _ any, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	configuration := invoicing.NewConfiguration()
	configuration.Servers = invoicing.ServerConfigurations{{URL: os.Getenv("API")}}
	client := invoicing.NewAPIClient(configuration)
	ctx := context.WithValue(context.Background(), invoicing.ContextAccessToken, os.Getenv("TOKEN"))

	body := invoicing.NewCustomerCreationV1("Ada")
	body.SetAddress(invoicing.Address{City: *invoicing.NewNullableString(invoicing.PtrString("London"))})
	created := must(client.CustomersV1API.CreateCustomerV1(ctx).CustomerCreationV1(*body).Execute())
	customer := must(client.CustomersV1API.GetCustomerV1(ctx, *created.Id.Get()).Execute())

	invoiceBody := invoicing.NewInvoiceCreationV1()
	invoiceBody.SetCustomerId(customer.GetId())
	invoiceBody.SetTotalCents(amount)
	invoice := must(client.InvoicesV1API.CreateInvoiceV1(ctx).InvoiceCreationV1(*invoiceBody).Execute())
	payment := invoicing.NewPaymentCreationV1(*invoice.Id.Get(), amount)
	must(client.PaymentsV1API.CreatePaymentV1(ctx).IdempotencyKey(uuid.NewString()).PaymentCreationV1(*payment).Execute())

	fields := []invoicing.InvoiceFieldV1{"id", "status", "total_cents"}
	page := must(client.InvoicesV1API.ListInvoicesV1(ctx).Fields(fields).CustomerId(customer.GetId()).Execute())

	invalid := invoicing.NewInvoiceCreationV1()
	invalid.SetCurrency("usd")
	_, _, err := client.InvoicesV1API.CreateInvoiceV1(ctx).InvoiceCreationV1(*invalid).Execute()
	var failure *invoicing.GenericOpenAPIError
	if !errors.As(err, &failure) {
		panic(fmt.Sprintf("no problem, but %v", err))
	}
	problem := failure.Model().(invoicing.Problem)

	results := map[string]any{
		"customer": customer.Id, "invoice": invoice.Id, "rows": page.Data, "next": page.NextCursor, "code": problem.Code,
	}
	if err := json.NewEncoder(os.Stdout).Encode(results); err != nil {
		panic(err)
	}
}
