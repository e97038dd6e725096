import { Fieldset, Select, SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Bot } from './bot-changes.ts';

const statusWords: Record<Bot['status'], string> = {
  ONLINE: 'Online',
  IDLE: 'Idle',
  DND: 'Do not disturb',
  INVISIBLE: 'Invisible',
  OFFLINE: 'Offline',
};

const activityWords: Record<Bot['activityType'], string> = {
  PLAYING: 'Playing',
  STREAMING: 'Streaming',
  LISTENING: 'Listening to',
  WATCHING: 'Watching',
  CUSTOM: 'Custom',
  COMPETING: 'Competing in',
};

const choicesOf = <Value extends string>(words: Record<Value, string>) =>
  // The keys of such a record are its values, which the type of Object.keys does not know.
  (Object.keys(words) as Value[]).map((value) => ({ value, label: words[value] }));

type Presence = Pick<Bot, 'status' | 'activityType'>;
type ChoicesProps = Presence & { onChange: (changes: Partial<Presence>) => void };
type PresenceFieldsProps = ChoicesProps & { activityText: ReactNode };

/** How the bot would like to be seen on the platform. */
export const PresenceFields = ({ activityText, ...choices }: PresenceFieldsProps) => (
  <Fieldset legend="Presence">
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        Stored with the bot; nothing acts on it yet.
      </Text>
      <Choices {...choices} />
      {activityText}
    </Stack>
  </Fieldset>
);

const Choices = ({ status, activityType, onChange }: ChoicesProps) => (
  <SimpleGrid cols={{ base: 1, xs: 2 }}>
    <Select
      label="Status"
      data={choicesOf(statusWords)}
      value={status}
      onChange={(chosen) => chosen && onChange({ status: chosen })}
      allowDeselect={false}
    />
    <Select
      label="Activity"
      data={choicesOf(activityWords)}
      value={activityType}
      onChange={(chosen) => chosen && onChange({ activityType: chosen })}
      allowDeselect={false}
    />
  </SimpleGrid>
);
