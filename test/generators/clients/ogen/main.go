package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	invoicing "generators/output/ogen"

	"github.com/google/uuid"
)

const amount = 3_000_000_000

type token string

func (value token) AccessToken(context.Context, invoicing.OperationName) (invoicing.AccessToken, error) {
	return invoicing.AccessToken{Token: string(value)}, nil
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

/* A response is an interface: the success and the problem of each status have types of their own. */
func expect[T any](response any, err error) T {
	if err != nil {
		panic(err)
	}
	value, ok := response.(T)
	if !ok {
		panic(fmt.Sprintf("another response: %T %+v", response, response))
	}
	return value
}

func main() {
	ctx := context.Background()
	client := must(invoicing.NewClient(os.Getenv("API"), token(os.Getenv("TOKEN"))))

	address := invoicing.Address{City: invoicing.NewOptNilString("London")}
	body := invoicing.CustomerCreationV1{Name: "Ada", Address: invoicing.NewOptNilAddress(address)}
	created := expect[*invoicing.CreatedCustomerV1Headers](
		client.CreateCustomerV1(ctx, &body, invoicing.CreateCustomerV1Params{}),
	).Response
	customer := expect[*invoicing.CustomerSelectionV1Headers](
		client.GetCustomerV1(ctx, invoicing.GetCustomerV1Params{CustomerID: created.ID.Value}),
	).Response

	invoice := expect[*invoicing.CreatedInvoiceV1Headers](client.CreateInvoiceV1(ctx, &invoicing.InvoiceCreationV1{
		CustomerID: invoicing.NewOptNilInt64(customer.ID.Value),
		TotalCents: invoicing.NewOptInt64(amount),
	}, invoicing.CreateInvoiceV1Params{})).Response
	expect[*invoicing.CreatedPaymentV1Headers](client.CreatePaymentV1(
		ctx,
		&invoicing.PaymentCreationV1{InvoiceID: invoice.ID.Value, AmountCents: amount},
		invoicing.CreatePaymentV1Params{IdempotencyKey: uuid.NewString()},
	))

	page := expect[*invoicing.InvoicePageV1Headers](client.ListInvoicesV1(ctx, invoicing.ListInvoicesV1Params{
		Fields:     []invoicing.InvoiceFieldV1{"id", "status", "total_cents"},
		CustomerID: customer.ID,
	})).Response

	problem := expect[*invoicing.CreateInvoiceV1UnprocessableEntity](client.CreateInvoiceV1(
		ctx,
		&invoicing.InvoiceCreationV1{Currency: invoicing.NewOptString("XXY")},
		invoicing.CreateInvoiceV1Params{},
	))

	var next *string
	if value, ok := page.NextCursor.Get(); ok {
		next = &value
	}
	results := map[string]any{
		"customer": customer.ID.Value, "invoice": invoice.ID.Value, "rows": page.Data, "next": next, "code": problem.Code,
	}
	if err := json.NewEncoder(os.Stdout).Encode(results); err != nil {
		panic(err)
	}
}
