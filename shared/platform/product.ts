/**
 * What the platform knows of the product that it serves: types only, which the product declares by module augmentation
 * (shared/invoicing/product.ts). So the platform's types are exact, and the platform names no noun of the product.
 */
// biome-ignore lint/suspicious/noEmptyInterface: its members are the product's
export interface Product {}
