import { Stack, Switch, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { inputFirst } from '../../components/form.tsx';
import { Section, TextLink } from '../../components/page.tsx';
import { RadioList } from '../../components/select.tsx';
import { WholeNumber } from '../../components/whole-number.tsx';
import { keysOf } from '../../labels/format.ts';
import { captchaLabels } from '../../labels/protections.ts';
import { accountQuery } from '../../queries/account.ts';
import type { Limits } from '../../queries/records.ts';
import type { Settings } from './changed-settings.ts';
import type { SettingsForm } from './use-settings.ts';

const captchaNotes: Record<Settings['captchaType'], string> = {
  POW: 'Their device does a short calculation. Nothing leaves this service.',
  TURNSTILE:
    'By Cloudflare. Needs keys that the operator sets; without them the built-in one is used.',
  HCAPTCHA:
    'By hCaptcha. Needs keys that the operator sets; without them the built-in one is used.',
  NONE: 'Scripts can verify as easily as people.',
};

export const CaptchaSection = ({ form: { settings, edit, errorOf } }: { form: SettingsForm }) => (
  <Section title="Captcha" anchor="captcha">
    <RadioList
      label="How newcomers prove that they are people"
      options={keysOf(captchaNotes).map((value) => ({
        value,
        label: captchaLabels[value],
        description: captchaNotes[value],
      }))}
      value={settings.captchaType}
      onChange={(captchaType) => edit({ captchaType })}
      error={errorOf('captchaType')}
    />
  </Section>
);

type Check = {
  setting: 'vpnBlockEnabled' | 'altDetectEnabled' | 'firewallEnabled';
  feature: keyof Limits & `has${string}`;
  label: string;
  description: string;
};

const checks: Check[] = [
  {
    ...{ setting: 'vpnBlockEnabled', feature: 'hasVpnDetection', label: 'Block VPNs' },
    description: 'Blocks newcomers from networks of hosting and VPN providers.',
  },
  {
    ...{ setting: 'altDetectEnabled', feature: 'hasAltDetection' },
    label: 'Block second accounts',
    description:
      'By device and address. People who share a connection may be mistaken for one person; they can appeal.',
  },
  {
    ...{ setting: 'firewallEnabled', feature: 'hasFirewall', label: 'Use the firewall' },
    description: 'Its rules have no effect while this is off.',
  },
];

export const ChecksSection = ({ form }: { form: SettingsForm }) => {
  const { settings, edit, errorOf } = form;
  return (
    <Section title="Checks" anchor="checks">
      <Stack gap="lg">
        <Text c="dimmed" size="sm">
          People who are blocked can appeal. The whitelist overrules these checks, the blacklist
          overrules the whitelist.
        </Text>
        {checks.map((check) => (
          <GatedSwitch key={check.setting} check={check} form={form} />
        ))}
        <WholeNumber
          label="Minimum age of an account, in days"
          description="Younger accounts are blocked. 0 allows every age."
          inputWrapperOrder={inputFirst}
          value={settings.minAccountAgeDays}
          onChange={(minAccountAgeDays) => edit({ minAccountAgeDays })}
          error={errorOf('minAccountAgeDays')}
          min={0}
          max={365}
          maw={420}
        />
      </Stack>
    </Section>
  );
};

/** A check that the plan lacks cannot be switched on, but it can be switched off. */
const GatedSwitch = ({ check, form }: { check: Check; form: SettingsForm }) => {
  const { data: account } = useQuery(accountQuery);
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
            ? 'It has no effect: your plan does not include it.'
            : 'Your plan does not include it.'}{' '}
          <TextLink to="/billing">Compare plans</TextLink>
        </Text>
      )}
    </Stack>
  );
};
