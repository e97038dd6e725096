/**
 * The credential of exactly one `Authorization: Bearer …` header. Repeated headers reach us joined
 * by a comma, which no key contains, so they fail here too.
 */
export const bearerCredential = (header: string | null): string | undefined =>
  header?.match(/^bearer +([^\s,]+)$/i)?.[1];
