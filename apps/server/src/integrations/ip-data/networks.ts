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

/** The operator's own file, of either format. */
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
