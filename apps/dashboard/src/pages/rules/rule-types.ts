import type { RuleType } from '@holdfast/contract';

type RuleTypeWords = {
  label: string;
  /** Whom a rule of this type is about. */
  about: string;
  /** What its value is called. */
  value: string;
  example: string;
};

/** From one person to a whole country, as rules are looked at. */
export const ruleTypes: Record<RuleType, RuleTypeWords> = {
  USER_ID: {
    label: 'Person',
    about: 'One account on the platform.',
    value: 'Platform id of the person',
    example: '175928847299117063',
  },
  FINGERPRINT: {
    label: 'Device',
    about: 'Everybody who comes with this device. The fingerprint stands on the member’s record.',
    value: 'Fingerprint',
    example: 'k3x9Qm_7fT2w',
  },
  IP: {
    label: 'Address',
    about: 'One internet address, or a block of them.',
    value: 'Address or CIDR block',
    example: '203.0.113.0/24',
  },
  SERVER_ID: {
    label: 'Server they are in',
    about: 'Everybody who is a member of another server on the platform.',
    value: 'Platform id of that server',
    example: '812345678901234567',
  },
  ASN: {
    label: 'Network',
    about: 'Everybody who comes through one provider’s network.',
    value: 'AS number',
    example: 'AS64500',
  },
  REGION: {
    label: 'Region',
    about: 'A part of a country, where the operator’s file of places knows it.',
    value: 'Region',
    example: 'US-CA',
  },
  COUNTRY: {
    label: 'Country',
    about: 'Everybody whose address belongs to one country.',
    value: 'Country',
    example: 'Iceland (IS)',
  },
};

// The record has exactly these names, which `Object.keys` forgets.
export const ruleTypeNames = Object.keys(ruleTypes) as RuleType[];
