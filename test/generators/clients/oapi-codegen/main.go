package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	invoicing "generators/output/oapi-codegen"

	"github.com/google/uuid"
)

const amount = int64(3_000_000_000)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func authorize(_ context.Context, request *http.Request) error {
	request.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
	return nil
}

func main() {
	ctx := context.Background()
	client := must(invoicing.NewClientWithResponses(os.Getenv("API"), invoicing.WithRequestEditorFn(authorize)))

	city := "London"
	body := invoicing.CustomerCreationV1{Name: "Ada", Address: &invoicing.Address{City: &city}}
	created := must(client.CreateCustomerV1WithResponse(ctx, nil, body)).JSON201
	customer := must(client.GetCustomerV1WithResponse(ctx, *created.Id, nil)).JSON200

	total := amount
	invoiceBody := invoicing.InvoiceCreationV1{CustomerId: customer.Id, TotalCents: &total}
	invoice := must(client.CreateInvoiceV1WithResponse(ctx, nil, invoiceBody)).JSON201
	payment := must(client.CreatePaymentV1WithResponse(
		ctx,
		&invoicing.CreatePaymentV1Params{IdempotencyKey: uuid.NewString()},
		invoicing.PaymentCreationV1{InvoiceId: *invoice.Id, AmountCents: amount},
	))
	if payment.JSON201 == nil {
		panic(fmt.Sprintf("no payment, but %s", payment.Body))
	}

	fields := []invoicing.InvoiceFieldV1{"id", "status", "total_cents"}
	customers := []int64{*customer.Id}
	query := invoicing.ListInvoicesV1Params{Fields: &fields, CustomerId: &customers}
	page := must(client.ListInvoicesV1WithResponse(ctx, &query)).JSON200

	currency := "usd"
	invalid := invoicing.InvoiceCreationV1{Currency: &currency}
	problem := must(client.CreateInvoiceV1WithResponse(ctx, nil, invalid)).ApplicationproblemJSON422

	rows := []map[string]any{}
	for _, row := range page.Data {
		rows = append(rows, map[string]any{"id": row.Id, "status": row.Status, "total_cents": row.TotalCents})
	}
	results := map[string]any{
		"customer": customer.Id, "invoice": invoice.Id, "rows": rows, "next": page.NextCursor, "code": problem.Code,
	}
	if err := json.NewEncoder(os.Stdout).Encode(results); err != nil {
		panic(err)
	}
}
