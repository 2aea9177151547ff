import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.CustomersV1Api;
import org.openapitools.client.api.InvoicesV1Api;
import org.openapitools.client.api.PaymentsV1Api;
import org.openapitools.client.model.Address;
import org.openapitools.client.model.CustomerCreationV1;
import org.openapitools.client.model.InvoiceCreationV1;
import org.openapitools.client.model.InvoiceFieldV1;
import org.openapitools.client.model.PaymentCreationV1;

class OpenApiGenerator {
  private static final long AMOUNT = 3_000_000_000L;

  public static void main(String[] arguments) throws Exception {
    var client = new ApiClient();
    client.updateBaseUri(System.getenv("API"));
    client.setRequestInterceptor(
        request -> request.header("Authorization", "Bearer " + System.getenv("TOKEN")));
    var customers = new CustomersV1Api(client);
    var invoices = new InvoicesV1Api(client);

    var body = new CustomerCreationV1().name("Ada").address(new Address().city("London"));
    var created = customers.createCustomerV1(body, null, null);
    var customer = customers.getCustomerV1(created.getId(), null, null);

    var invoiceBody = new InvoiceCreationV1().customerId(customer.getId()).totalCents(AMOUNT);
    var invoice = invoices.createInvoiceV1(invoiceBody, null, null);
    var payment = new PaymentCreationV1().invoiceId(invoice.getId()).amountCents(AMOUNT);
    new PaymentsV1Api(client).createPaymentV1(UUID.randomUUID().toString(), payment, null);

    var fields = List.of(InvoiceFieldV1.ID, InvoiceFieldV1.STATUS, InvoiceFieldV1.TOTAL_CENTS);
    var page =
        invoices.listInvoicesV1(
            fields, null, null, List.of(customer.getId()), null, null, null, null, null, null, null, null, null, null, null,
            null);
    var mapper = ApiClient.createDefaultObjectMapper();
    var rows =
        page.getData().stream()
            .map(row -> Map.of("id", row.getId(), "status", row.getStatus(), "total_cents", row.getTotalCents()))
            .toList();
    var results = mapper.createObjectNode();
    results.put("customer", customer.getId());
    results.put("invoice", invoice.getId());
    results.set("rows", mapper.valueToTree(rows));
    results.put("next", page.getNextCursor());
    results.put("code", codeOfInvalidInvoice(invoices, mapper.reader()::readTree));
    System.out.println(results);
  }

  private interface Parser {
    JsonNode parse(String text) throws Exception;
  }

  private static String codeOfInvalidInvoice(InvoicesV1Api invoices, Parser json) throws Exception {
    try {
      invoices.createInvoiceV1(new InvoiceCreationV1().currency("usd"), null, null);
      return null;
    } catch (ApiException problem) {
      return json.parse(problem.getResponseBody()).get("code").asText();
    }
  }
}
