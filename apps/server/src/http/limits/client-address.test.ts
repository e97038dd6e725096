import { describe, expect, test } from 'bun:test';
import { clientAddressBehind } from './client-address.ts';

describe('the client address', () => {
  test.each([
    ['is the peer when no proxy is trusted', [], '198.51.100.7', '203.0.113.1', '198.51.100.7'],
    [
      'is the peer when it is not one of our proxies',
      ['10.0.0.0/8'],
      '198.51.100.7',
      '203.0.113.1',
      '198.51.100.7',
    ],
    ['is the hop before our proxy', ['10.0.0.0/8'], '10.1.2.3', '203.0.113.1', '203.0.113.1'],
    [
      'is the right-most hop that is not ours',
      ['10.0.0.0/8'],
      '10.1.2.3',
      '1.1.1.1, 203.0.113.1, 10.9.9.9',
      '203.0.113.1',
    ],
    [
      'is the last good hop before rubbish',
      ['10.0.0.0/8'],
      '10.1.2.3',
      '203.0.113.1, rubbish',
      '10.1.2.3',
    ],
    ['is the peer when our proxy names nobody', ['10.0.0.1'], '10.0.0.1', null, '10.0.0.1'],
    [
      'is folded from its IPv6 spelling',
      ['10.0.0.1'],
      '::ffff:10.0.0.1',
      '::ffff:203.0.113.1',
      '203.0.113.1',
    ],
    ['may be IPv6', ['fd00::/8'], 'fd00::1', '2001:DB8::1', '2001:db8::1'],
  ])('%s', (_, trusted, peer, forwardedFor, expected) => {
    expect(clientAddressBehind(trusted)(peer, forwardedFor)).toBe(expected);
  });

  test('refuses a proxy that is no address', () => {
    expect(() => clientAddressBehind(['nginx'])).toThrow('nginx');
  });
});
