import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeMmdb } from './write-mmdb.ts';

/** Two countries and three networks, one of them a VPN's: loaded at once, unlike those of the world. */
export const writeIpFiles = async (folder: string) => {
  const write = async (name: string, content: string | Buffer) => {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  };
  const place = (country: string, region: string) => ({
    country: { iso_code: country },
    subdivisions: [{ iso_code: region }],
  });
  const city = writeMmdb('City', {
    '9.0.0.0/8': place('DE', 'HH'),
    '8.0.0.0/8': place('US', 'MA'),
  });
  return {
    cityFile: await write('city.mmdb', city),
    asnFile: await write('asn.csv', '8.8.8.0/24,64501\n8.8.4.0/24,64500\n9.0.0.0/8,64502\n'),
    vpnAsnsFile: await write('vpn.csv', '64501\n'),
  };
};
