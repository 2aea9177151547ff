/**
 * The types that the platform uses from the product. The product declares them by module augmentation
 * (shared/invoicing/product.ts), so the platform's types are exact without an import of the product.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the product declares the members
export interface Product {}
