import { countryCodes, newRule } from '@holdfast/contract';
import { z } from 'zod';
import { openMmdb } from './mmdb.ts';

type Place = { country: string | null; region: string | null };
export type FindPlace = (address: string) => Place;

/** The fields of MaxMind's city and country files, and of flat files such as the built-in one. */
const placeRecord = z.object({
  country: z.object({ iso_code: z.string() }).optional().catch(undefined),
  country_code: z.string().optional().catch(undefined),
  subdivisions: z
    .array(
      z.object({
        iso_code: z.string().optional().catch(undefined),
        names: z.object({ en: z.string() }).optional().catch(undefined),
      }),
    )
    .optional()
    .catch(undefined),
  state1: z.string().optional().catch(undefined),
});

type PlaceRecord = z.output<typeof placeRecord>;

export const openPlaces = async (path: string): Promise<FindPlace> => {
  const file = await openMmdb(path);
  if (/asn/i.test(file.kind) && !/city|country/i.test(file.kind)) {
    throw new Error(`it tells networks, not places (${file.kind})`);
  }
  return (address) => {
    const found = placeRecord.safeParse(file.get(address));
    if (!found.success) return { country: null, region: null };
    const country = countryOf(found.data);
    return { country, region: regionOf(found.data, country) };
  };
};

/** The country of the location; that of the registration is not used instead. */
const countryOf = (record: PlaceRecord): string | null => {
  const code = (record.country?.iso_code ?? record.country_code ?? '').toUpperCase();
  return countryCodes.has(code) ? code : null;
};

/** ISO 3166-2 where the file has it, else the region's name; in the form in which rules are stored. */
const regionOf = (record: PlaceRecord, country: string | null): string | null => {
  const [largest] = record.subdivisions ?? [];
  const name = largest?.names?.en ?? record.state1;
  const hasCode = country !== null && largest?.iso_code !== undefined;
  const value = hasCode ? `${country}-${largest?.iso_code}` : name;
  if (value === undefined) return null;
  return newRule.safeParse({ type: 'REGION', value }).data?.value ?? null;
};
