import { Stack, Switch } from '@mantine/core';
import { Section } from '../../components/page.tsx';
import { useServer } from '../../queries/servers.ts';
import type { ProtectionForm } from './use-protection.ts';

export const SwitchSection = ({ form: { settings, edit } }: { form: ProtectionForm }) => {
  const { id } = useServer();
  return (
    <Section title="What is stopped" more={{ to: `/servers/${id}/incidents`, label: 'Incidents' }}>
      <Stack gap="lg">
        <Switch
          label="Stop attackers"
          description="Whoever destroys the server loses their dangerous roles, and a bot is removed. Invites are paused, a backup is made, and you are alerted. Roles can be given back."
          checked={settings.antiNukeEnabled}
          onChange={({ currentTarget }) => edit({ antiNukeEnabled: currentTarget.checked })}
        />
        <Switch
          label="Stop raids"
          description="When many young accounts join at once, invites are paused, newcomers are checked more strictly until it is over, and those of the wave wait for your decision."
          checked={settings.antiRaidEnabled}
          onChange={({ currentTarget }) => edit({ antiRaidEnabled: currentTarget.checked })}
        />
      </Stack>
    </Section>
  );
};
