import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeMmdb } from '../../../test/harness/verification/ip-files.ts';
import {
  type BuiltInFiles,
  builtInFiles,
  type IpData,
  type IpFacts,
  type IpFiles,
  openIpData,
} from './ip-data.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ip-data-'));
});
afterAll(() => rm(folder, { recursive: true }));

const write = async (name: string, contents: string | Uint8Array): Promise<string> => {
  const path = join(folder, name);
  await Bun.write(path, contents);
  return path;
};

const unexpected = (source: string, sentence: string) => {
  throw new Error(`${source}: ${sentence}`);
};

/** Small files in place of the built-in ones, so that each test opens its own. */
const smallFiles = async (changes: Partial<BuiltInFiles> = {}) => ({
  countryFile: await write('c.mmdb', writeMmdb('country', { '8.0.0.0/8': { country_code: 'US' } })),
  asnFiles: [await write('asn.csv', '8.8.8.0,8.8.8.255,15169,Google LLC\n')],
  vpnAsnsFile: await write('vpn.csv', 'asn,name\n15169,"Google LLC"\n'),
  ...changes,
});

const open = async (files: IpFiles, onProblem = unexpected) => {
  const data = await openIpData(files, onProblem, await smallFiles());
  await data.ready;
  return data;
};

const nothing = { country: null, region: null, asn: null, isVpn: false, problems: [] };

describe('the built-in data', () => {
  let data: IpData;
  beforeAll(async () => {
    data = await openIpData({}, unexpected);
    await data.ready;
  });

  test.each([
    ['8.8.8.8', 'US', 15169, true],
    ['2001:4860:4860::8888', 'US', 15169, true],
    ['2a01:4f8::1', 'DE', 24940, true],
    ['193.138.218.74', 'SE', 39351, true],
    ['91.64.0.1', 'DE', 3209, false],
  ])('knows country and network of %s', (address, country, asn, isVpn) => {
    expect(data.lookUp(address)).toEqual({ ...nothing, country, asn, isVpn });
  });

  test('treats an IPv4-mapped IPv6 address as IPv4', () => {
    expect(data.lookUp('::ffff:8.8.8.8')).toEqual(data.lookUp('8.8.8.8'));
    expect(data.lookUp('::FFFF:0808:0808')).toEqual(data.lookUp('8.8.8.8'));
  });

  test.each([
    '127.0.0.1',
    '10.1.2.3',
    '192.168.0.1',
    '::ffff:10.1.2.3',
    '::1',
    'fd00::1',
    'fe80::1',
    '203.0.113.7',
  ])('knows nothing of %s, which is not public', (address) => {
    expect(data.lookUp(address)).toEqual(nothing);
  });

  test.each(['', 'localhost', '8.8.8', '8.8.8.8/24', '8.8.8.8:80', '\0', '☃'])(
    'knows nothing of %p, which is no address',
    (text) => {
      expect(data.lookUp(text)).toEqual(nothing);
    },
  );

  test('lists only networks that exist under the name they are listed with', async () => {
    const names = new Map<string, Set<string>>();
    for (const file of builtInFiles().asnFiles) {
      for (const line of (await Bun.file(file).text()).split('\n')) {
        const [, asn = '', name = ''] = line.match(/^[^,]+,[^,]+,(\d+),(.*)$/) ?? [];
        names.set(asn, (names.get(asn) ?? new Set()).add(plain(name)));
      }
    }
    const listed = (await Bun.file(builtInFiles().vpnAsnsFile).text()).matchAll(/^(\d+),"(.*)"$/gm);
    const entries = [...listed].map(([, asn = '', name = '']) => ({ asn, name: plain(name) }));
    expect(entries.length).toBeGreaterThan(250);
    expect(new Set(entries.map(({ asn }) => asn)).size).toBe(entries.length);
    const isUnknown = ({ asn, name }: (typeof entries)[number]) =>
      ![...(names.get(asn) ?? [])].some((known) => name.startsWith(known));
    expect(entries.filter(isUnknown)).toEqual([]);
  });
});

const plain = (name: string): string => name.replace(/["']/g, '');

describe('while the table of networks is loading', () => {
  test('the country is known, and the network is reported as a problem, not as unknown', async () => {
    const data = await openIpData({}, unexpected);
    expect(data.lookUp('8.8.8.8')).toEqual({
      ...nothing,
      country: 'US',
      problems: ['asn', 'vpn'],
    });
    await data.ready;
    expect(data.lookUp('8.8.8.8').problems).toEqual([]);
  });
});

describe('the operator’s files', () => {
  const city = () =>
    write(
      'city.mmdb',
      writeMmdb('GeoLite2-City', {
        '81.2.69.0/24': {
          country: { iso_code: 'GB' },
          subdivisions: [{ iso_code: 'ENG', names: { en: 'England' } }, { iso_code: 'WSX' }],
        },
        '81.2.70.0/24': {
          country: { iso_code: 'DE' },
          subdivisions: [{ names: { en: 'Baden ' } }],
        },
        '81.2.71.0/24': { registered_country: { iso_code: 'FR' } },
        '81.2.72.0/24': { country: { iso_code: 'XX' } },
        '2a00:1::/32': { country: { iso_code: 'US' }, subdivisions: [{ iso_code: 'CA' }] },
      }),
    );

  test.each([
    ['81.2.69.142', 'GB', 'GB-ENG'],
    ['::ffff:81.2.69.142', 'GB', 'GB-ENG'],
    ['2a00:1::5', 'US', 'US-CA'],
    ['81.2.70.1', 'DE', 'BADEN'],
    ['81.2.71.1', null, null],
    ['81.2.72.1', null, null],
    // The built-in file would know this one.
    ['8.8.8.8', null, null],
  ])('GEOIP_CITY_FILE tells country and region of %s', async (address, country, region) => {
    const data = await open({ cityFile: await city() });
    expect(data.lookUp(address)).toMatchObject({ country, region, problems: [] });
  });

  test('GEOIP_ASN_FILE may be MaxMind’s format', async () => {
    const networks = { '9.0.0.0/8': { autonomous_system_number: 64500 }, '2a00::/16': { as: 1 } };
    const asnFile = await write('asn.mmdb', writeMmdb('GeoLite2-ASN', networks));
    const data = await open({ asnFile });
    expect(data.lookUp('9.9.9.9').asn).toBe(64500);
    expect(data.lookUp('2a00::1')).toMatchObject({ asn: null, problems: [] });
    expect(data.lookUp('8.8.8.8').asn).toBeNull();
  });

  test.each([
    ['ranges', '9.0.0.0,9.0.0.255,64500,"A, B"\n2a00::,2a00::ffff,4294967295,C\n'],
    [
      'networks with a heading',
      'network,asn,name\r\n9.0.0.0/24,64500,A\r\n2a00::/112,4294967295,C',
    ],
    [
      'quoted ranges out of order',
      '"2a00::","2a00::ffff","4294967295"\n"9.0.0.0","9.0.0.255","64500"',
    ],
  ])('GEOIP_ASN_FILE may be CSV of %s', async (_, text) => {
    const data = await open({ asnFile: await write('own.csv', text) });
    const asns = ['9.0.0.0', '9.0.0.255', '9.0.1.0', '2a00::', '2a00::ffff', '2a00::1:0'].map(
      (address) => data.lookUp(address).asn,
    );
    expect(asns).toEqual([64500, 64500, null, 4294967295, 4294967295, null]);
  });

  test('give no facts about private addresses, whatever they contain', async () => {
    const cityFile = await write(
      'private.mmdb',
      writeMmdb('City', { '10.0.0.0/8': { country: { iso_code: 'DE' } } }),
    );
    const asnFile = await write('private.csv', '10.0.0.0/8,15169\nfc00::/7,15169');
    const data = await open({ cityFile, asnFile });
    for (const address of ['10.1.2.3', 'fd00::1']) expect(data.lookUp(address)).toEqual(nothing);
  });

  test('VPN_ASNS_FILE adds to the list', async () => {
    const asnFile = await write(
      'three.csv',
      '9.0.0.0/24,64500\n9.0.1.0/24,64501\n9.0.2.0/24,15169\n9.0.3.0/24,64502',
    );
    const vpnAsnsFile = await write('own.txt', '# ours\n\nAS64500\n64501, Some Host # rented\r\n');
    const data = await open({ asnFile, vpnAsnsFile });
    const isVpn = [0, 1, 2, 3].map((n) => data.lookUp(`9.0.${n}.1`).isVpn);
    expect(isVpn).toEqual([true, true, true, false]);
  });

  test.each<[string, keyof IpFiles, string | Uint8Array | undefined, string]>([
    ['is missing', 'cityFile', undefined, 'there is no such file'],
    ['is missing', 'asnFile', undefined, 'there is no such file'],
    ['is missing', 'vpnAsnsFile', undefined, 'there is no such file'],
    ['is something else', 'cityFile', 'PK zip', 'no file of the MaxMind DB format'],
    ['is something else', 'asnFile', 'PK zip\nPK', 'line 2 is no range'],
    ['is empty', 'asnFile', '', 'no ranges'],
    ['breaks off', 'asnFile', '9.0.0.0,9.0.0.255,1\n9.0.1.0,9.0', 'line 2 is no range'],
    ['runs backwards', 'asnFile', 'x\n9.0.0.9,9.0.0.1,1', 'line 2 is no range'],
    ['has too large a prefix', 'asnFile', 'x\n9.0.0.0/33,1', 'line 2 is no range'],
    ['has words', 'vpnAsnsFile', '64500\nNordVPN', 'line 2 does not begin with an AS number'],
    ['has no such number', 'vpnAsnsFile', 'AS4294967296', 'line 1 does not begin'],
    ['tells networks', 'cityFile', writeMmdb('GeoLite2-ASN', {}), 'networks, not places'],
    ['tells places', 'asnFile', writeMmdb('GeoLite2-City', {}), 'places, not networks'],
  ])('one that %s ends the start with a sentence (%s)', async (_, name, contents, words) => {
    const path = contents === undefined ? join(folder, 'no') : await write(`bad-${name}`, contents);
    const settings = {
      cityFile: 'GEOIP_CITY_FILE',
      asnFile: 'GEOIP_ASN_FILE',
      vpnAsnsFile: 'VPN_ASNS_FILE',
    };
    const opening = open({ [name]: path });
    await expect(opening).rejects.toThrow(`${settings[name]} ${path} cannot be used: `);
    await expect(opening).rejects.toThrow(words);
  });
});

describe('a built-in file that fails', () => {
  const openWith = async (changes: Partial<BuiltInFiles>) => {
    const problems: string[] = [];
    const files = await smallFiles(changes);
    const data = await openIpData({}, (...problem) => problems.push(problem.join(': ')), files);
    await data.ready;
    return { data, problems };
  };
  const good: IpFacts = { ...nothing, country: 'US', asn: 15169, isVpn: true };

  test('nothing fails', async () => {
    const { data, problems } = await openWith({});
    expect(data.lookUp('8.8.8.8')).toEqual(good);
    expect(problems).toEqual([]);
  });

  test('countries: the other facts are returned', async () => {
    const { data, problems } = await openWith({ countryFile: join(folder, 'no') });
    expect(data.lookUp('8.8.8.8')).toEqual({ ...good, country: null, problems: ['country'] });
    expect(problems).toEqual(['country: The list of countries fails: there is no such file']);
  });

  test('networks: neither networks nor VPNs are returned', async () => {
    const { data, problems } = await openWith({ asnFiles: [await write('broken.csv', 'a\nb')] });
    const { problems: _, ...rest } = good;
    expect(data.lookUp('8.8.8.8')).toMatchObject({ ...rest, asn: null, isVpn: false });
    expect(data.lookUp('8.8.8.8').problems).toEqual(['asn', 'vpn']);
    expect(data.lookUp('9.9.9.9').problems).toEqual(['asn', 'vpn']);
    expect(problems).toHaveLength(1);
  });

  test('VPNs: the network is still returned', async () => {
    const { data, problems } = await openWith({ vpnAsnsFile: join(folder, 'no') });
    expect(data.lookUp('8.8.8.8')).toEqual({ ...good, isVpn: false, problems: ['vpn'] });
    expect(problems).toHaveLength(1);
  });

  test('damaged content is detected by a lookup, listed as a problem, and reported once', async () => {
    const whole = writeMmdb('country', { '8.0.0.0/8': { country_code: 'US' } });
    // The entry itself: what was a map is now a pointer far beyond the end.
    const at = whole.indexOf('country_code') - 2;
    whole.set([0x38, 0xff, 0xff, 0xff, 0xff], at);
    const { data, problems } = await openWith({ countryFile: await write('dent.mmdb', whole) });
    expect(problems).toEqual([]);
    for (const _ of [1, 2]) expect(data.lookUp('8.8.8.8').problems).toEqual(['country']);
    expect(data.lookUp('9.9.9.9').problems).toEqual([]);
    expect(problems).toHaveLength(1);
  });
});
