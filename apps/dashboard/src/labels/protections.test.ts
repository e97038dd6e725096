import { expect, test } from 'bun:test';
import { protectionsOf } from './protections.ts';

const server = {
  captchaType: 'POW' as const,
  vpnBlockEnabled: true,
  altDetectEnabled: true,
  firewallEnabled: false,
  minAccountAgeDays: 7,
};

const statesOf = (...given: Parameters<typeof protectionsOf>) =>
  protectionsOf(...given).map(({ key, isOn, state }) => [key, isOn, state]);

test('each protection has its state', () => {
  expect(statesOf(server)).toEqual([
    ['captcha', true, 'Built in'],
    ['vpn', true, 'On'],
    ['alt', true, 'On'],
    ['firewall', false, 'Off'],
    ['age', true, '7 days'],
  ]);
});

test('a protection that the plan lacks does not count as on', () => {
  const limits = { hasVpnDetection: true, hasAltDetection: false, hasFirewall: false };
  expect(statesOf(server, limits)[2]).toEqual(['alt', false, 'Not in your plan']);
});

test('a list without the account age does not show it', () => {
  const { minAccountAgeDays: _unknown, ...listed } = server;
  expect(protectionsOf(listed).map(({ key }) => key)).not.toContain('age');
});
