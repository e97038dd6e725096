import { Stack, Text, TextInput } from '@mantine/core';
import { Card } from '../card.tsx';
import type { SettingsForm } from './use-settings.ts';

export const MoveSection = ({ form: { settings, edit, errorOf } }: { form: SettingsForm }) => (
  <Card title="The community moved">
    <Stack gap="md">
      <Text c="dimmed" size="sm">
        If the server was lost, make a new one at the platform, invite the bot, and put its ID here.
        Members, backups and rules go with it: then restore a backup into it and call your members
        back. Role and channel have to be chosen anew.
      </Text>
      <TextInput
        label="Server ID at the platform"
        value={settings.platformGuildId}
        onChange={({ currentTarget }) => edit({ platformGuildId: currentTarget.value.trim() })}
        error={errorOf('platformGuildId')}
        inputMode="numeric"
        autoComplete="off"
        maw={320}
        required
      />
    </Stack>
  </Card>
);
