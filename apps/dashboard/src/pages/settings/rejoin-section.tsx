import { Switch } from '@mantine/core';
import { Section } from '../../components/page.tsx';
import type { SettingsForm } from './use-settings.ts';

export const RejoinSection = ({ form: { settings, edit, errorOf } }: { form: SettingsForm }) => (
  <Section title="Members who come back" anchor="rejoin">
    <Switch
      label="Give them their roles and nickname again"
      description="Only to members who agreed to be brought back, and never a role with dangerous permissions. The bot needs the server members intent."
      checked={settings.restoreRolesOnRejoin}
      onChange={({ currentTarget }) => edit({ restoreRolesOnRejoin: currentTarget.checked })}
      error={errorOf('restoreRolesOnRejoin')}
    />
  </Section>
);
