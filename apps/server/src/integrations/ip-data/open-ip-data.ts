import { canonicalIp } from '@holdfast/contract';
import { type BuiltInFiles, builtInFiles } from './built-in-files.ts';
import { createSource, type IpSource, type OnProblem, reasonOf } from './ip-source.ts';
import { isPrivate } from './is-private.ts';
import { type FindAsn, loadNetworks, openNetworks } from './networks.ts';
import { type FindPlace, openPlaces } from './places.ts';
import { readVpnAsns } from './vpn-asns.ts';

/**
 * What is known of an address. `problems` names the sources that could not be asked: their part of
 * the answer (null, or `isVpn` false) then says nothing. A source that was asked and does not know
 * the address is no problem. `region` comes from the source of `country`, where that has regions.
 */
export type IpLook = {
  country: string | null;
  region: string | null;
  asn: number | null;
  isVpn: boolean;
  problems: IpSource[];
};

export type IpData = {
  /** Never throws. */
  look(address: string): IpLook;
  /** Settled when the table of networks is loaded or has failed: until then it is a problem. */
  ready: Promise<void>;
};

/** The operator's own. The first two replace the built-in files, the third adds to the list. */
export type IpFiles = { cityFile?: string; asnFile?: string; vpnAsnsFile?: string };

/**
 * Opens what tells countries, networks and VPNs. An operator's file that cannot be used ends the
 * start; a built-in one that cannot is reported, and its answers are left out. The built-in table of
 * networks takes a moment to load, which happens behind the caller's back.
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
  await vpns.fill(readVpnAsns(builtIn.vpnAsnsFile).then((asns) => (asn) => asns.has(asn)));
  await places.fill(ownPlaces ? Promise.resolve(ownPlaces) : openPlaces(builtIn.countryFile));
  const ready = networks.fill(
    ownNetworks ? Promise.resolve(ownNetworks) : loadNetworks(builtIn.asnFiles),
  );
  if (ownNetworks) await ready;

  const isVpn = (asn: number | null | undefined, problems: IpSource[]): boolean => {
    if (asn === null) return false;
    if (asn !== undefined) return ownVpns.has(asn) || (vpns.ask(asn, problems) ?? false);
    problems.push('vpn');
    return false;
  };

  return {
    ready,
    look(address) {
      const text = canonicalIp(address);
      if (text === undefined || text.includes('/') || isPrivate(text)) return nothingKnown();
      const problems: IpSource[] = [];
      const { country, region } = places.ask(text, problems) ?? { country: null, region: null };
      const asn = networks.ask(text, problems);
      return { country, region, asn: asn ?? null, isVpn: isVpn(asn, problems), problems };
    },
  };
};

const nothingKnown = (): IpLook => ({
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
