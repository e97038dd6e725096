import type { Output } from '@holdfast/sdk';
import { Anchor, Radio, Stack, Switch, Text } from '@mantine/core';
import { Link } from 'react-router';
import { useAccount } from '../../../parts/use-account.ts';
import { Card } from '../card.tsx';
import { captchaWords } from '../protections.ts';
import type { Settings } from './changed-settings.ts';
import type { SettingsForm } from './use-settings.ts';
import { WholeNumber } from './whole-number.tsx';

type Limits = Output<'getAccount'>['limits'];
type CaptchaType = Settings['captchaType'];

const captchaNotes: Record<CaptchaType, string> = {
  POW: 'Their device does a short calculation. Nothing leaves this service.',
  TURNSTILE:
    'By Cloudflare. Needs keys that the operator sets; without them the built-in one is used.',
  HCAPTCHA:
    'By hCaptcha. Needs keys that the operator sets; without them the built-in one is used.',
  NONE: 'Scripts can walk through the door as easily as people.',
};
// The keys of such a record are its values, which the type of Object.keys does not know.
const captchaTypes = Object.keys(captchaNotes) as CaptchaType[];

export const CaptchaSection = ({ form: { settings, edit, errorOf } }: { form: SettingsForm }) => (
  <Card title="Captcha">
    <Radio.Group
      label="How newcomers show that they are people"
      value={settings.captchaType}
      onChange={(captchaType: CaptchaType) => edit({ captchaType })}
      error={errorOf('captchaType')}
    >
      <Stack gap="sm" mt="xs">
        {captchaTypes.map((type) => (
          <Radio
            key={type}
            value={type}
            label={captchaWords[type]}
            description={captchaNotes[type]}
          />
        ))}
      </Stack>
    </Radio.Group>
  </Card>
);

type Check = {
  setting: 'vpnBlockEnabled' | 'altDetectEnabled' | 'firewallEnabled';
  feature: keyof Limits & `has${string}`;
  label: string;
  description: string;
};

const checks: Check[] = [
  {
    ...{ setting: 'vpnBlockEnabled', feature: 'hasVpnDetection', label: 'Turn VPNs away' },
    description: 'Newcomers from the networks of hosting and VPN providers.',
  },
  {
    ...{ setting: 'altDetectEnabled', feature: 'hasAltDetection' },
    label: 'Turn second accounts away',
    description:
      'By device and address. People who share a connection can be taken for one; they may appeal.',
  },
  {
    ...{ setting: 'firewallEnabled', feature: 'hasFirewall', label: 'Use the firewall' },
    description: 'Its rules count only while this is on.',
  },
];

export const ChecksSection = ({ form }: { form: SettingsForm }) => {
  const { settings, edit, errorOf } = form;
  return (
    <Card title="Checks">
      <Stack gap="lg">
        <Text c="dimmed" size="sm">
          Whoever is turned away can appeal. The whitelist goes before all of these, the blacklist
          before the whitelist.
        </Text>
        {checks.map((check) => (
          <GatedSwitch key={check.setting} check={check} form={form} />
        ))}
        <WholeNumber
          label="Minimum age of an account, in days"
          description="Younger accounts are turned away. 0 lets every age in."
          value={settings.minAccountAgeDays}
          onChange={(minAccountAgeDays) => edit({ minAccountAgeDays })}
          error={errorOf('minAccountAgeDays')}
          min={0}
          max={365}
          maw={420}
        />
      </Stack>
    </Card>
  );
};

/** What the plan lacks cannot be switched on; what is on may be switched off. */
const GatedSwitch = ({ check, form }: { check: Check; form: SettingsForm }) => {
  const { data: account } = useAccount();
  const { setting, feature, label, description } = check;
  const isOn = form.settings[setting];
  const isInPlan = account?.limits[feature] === true;
  return (
    <Stack gap={4}>
      <Switch
        label={label}
        description={description}
        checked={isOn}
        disabled={!isInPlan && !isOn}
        onChange={({ currentTarget }) => form.edit({ [setting]: currentTarget.checked })}
        error={form.errorOf(setting)}
      />
      {!isInPlan && (
        <Text size="sm" pl={52}>
          {isOn
            ? 'It does not act: your plan does not include it.'
            : 'Your plan does not include it.'}{' '}
          <Anchor component={Link} to="/billing" inherit underline="always">
            Compare plans
          </Anchor>
        </Text>
      )}
    </Stack>
  );
};

export const LaterSection = ({ form: { settings, edit } }: { form: SettingsForm }) => (
  <Card title="Not acting yet">
    <Stack gap="lg">
      <Text c="dimmed" size="sm">
        These are stored with the server. Nothing acts on them yet: do not rely on them.
      </Text>
      <Switch
        label="Stop mass deletions"
        checked={settings.antiNukeEnabled}
        onChange={({ currentTarget }) => edit({ antiNukeEnabled: currentTarget.checked })}
      />
      <Switch
        label="Stop raids"
        checked={settings.antiRaidEnabled}
        onChange={({ currentTarget }) => edit({ antiRaidEnabled: currentTarget.checked })}
      />
    </Stack>
  </Card>
);
