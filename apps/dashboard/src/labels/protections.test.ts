import { expect, test } from 'bun:test';
import { protectionsOf } from './protections.ts';

const server = {
  captchaType: 'POW' as const,
  vpnBlockEnabled: true,
  altDetectEnabled: true,
  firewallEnabled: false,
  minAccountAgeDays: 7,
  antiNukeEnabled: true,
  antiRaidEnabled: false,
};

const statesOf = (...given: Parameters<typeof protectionsOf>) =>
  protectionsOf(...given).map(({ label, isOn, state }) => [label, isOn, state]);

test('each protection has its state, what stops attacks and raids first', () => {
  expect(statesOf(server)).toEqual([
    ['Stop attackers', true, 'On'],
    ['Stop raids', false, 'Off'],
    ['Captcha', true, 'Built in'],
    ['VPN check', true, 'On'],
    ['Second accounts', true, 'On'],
    ['Firewall', false, 'Off'],
    ['Minimum account age', true, '7 days'],
  ]);
});

test('a protection that the plan lacks does not count as on', () => {
  const limits = { hasVpnDetection: true, hasAltDetection: false, hasFirewall: false };
  expect(statesOf(server, limits)).toContainEqual(['Second accounts', false, 'Not in your plan']);
});
