import { z } from 'zod';
import { ipWords } from '../../kernel/ip-words.ts';
import { type AsnTable, readAsnCsv } from './asn-csv.ts';
import { isMmdb, openMmdb } from './mmdb.ts';

/** The AS number of the network that an address belongs to. */
export type FindAsn = (address: string) => number | null;

export const loadNetworks = async (paths: readonly string[]): Promise<FindAsn> => {
  const table = await readAsnCsv(paths);
  return (address) => findInTable(table, address);
};

/** The operator's own file, MMDB or CSV. */
export const openNetworks = async (path: string): Promise<FindAsn> =>
  (await isMmdb(path)) ? openNetworksMmdb(path) : loadNetworks([path]);

const findInTable = (table: AsnTable, address: string): number | null => {
  const words = ipWords(address);
  if (!words) return null;
  return words.length === 1 ? table.v4.find(words) : table.v6.find(words);
};

const networkRecord = z.object({ autonomous_system_number: z.int().min(1).max(0xffff_ffff) });

const openNetworksMmdb = async (path: string): Promise<FindAsn> => {
  const file = await openMmdb(path);
  if (/city|country/i.test(file.kind)) {
    throw new Error(`it tells places, not networks (${file.kind})`);
  }
  return (address) =>
    networkRecord.safeParse(file.get(address)).data?.autonomous_system_number ?? null;
};

const largestAsn = 0xffff_ffff;

/** One AS number per line; the rest after a comma is ignored, and `#` starts a comment. */
export const readVpnAsns = async (path: string): Promise<Set<number>> => {
  const asns = new Set<number>();
  const lines = (await Bun.file(path).text()).split('\n');
  for (const [index, line] of lines.entries()) {
    const [field = ''] = line.replace(/#.*$/, '').split(',');
    const text = field.trim().replace(/^"(.*)"$/, '$1');
    if (text === '' || (asns.size === 0 && text.toLowerCase() === 'asn')) continue;
    const digits = text.match(/^(?:AS)?(\d{1,10})$/i)?.[1];
    const asn = Number(digits);
    if (digits === undefined || asn < 1 || asn > largestAsn) {
      throw new Error(`line ${index + 1} does not begin with an AS number`);
    }
    asns.add(asn);
  }
  return asns;
};
