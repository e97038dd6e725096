import { Group, Stack, Text, Title } from '@mantine/core';
import { WholeNumber } from '../../components/whole-number.tsx';
import { raidHint } from '../../labels/protection.ts';
import type { ProtectionForm } from './use-protection.ts';

/** One sentence: "20 joins within 10 seconds from accounts younger than 3 days". */
const fields = [
  { name: 'joins', label: 'Joins that are a raid', after: 'joins within', most: 1000 },
  {
    name: 'perSeconds',
    label: 'Within how many seconds they join',
    after: 'seconds from accounts younger than',
    most: 3600,
  },
  { name: 'minAccountAgeDays', label: 'Age of the accounts in days', after: 'days', most: 3650 },
] as const;

export const RaidThreshold = ({ form: { settings, edit, errorOf } }: { form: ProtectionForm }) => {
  const { raid } = settings;
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        What is a raid
      </Title>
      <Group gap="xs">
        {fields.map(({ name, label, after, most }) => (
          <Group key={name} gap="xs" wrap="nowrap">
            <WholeNumber
              aria-label={label}
              value={raid[name]}
              onChange={(value) => edit({ raid: { ...raid, [name]: value } })}
              min={1}
              max={most}
              w={84}
              flex="none"
            />
            <Text size="sm">{after}</Text>
          </Group>
        ))}
      </Group>
      <Text size="sm" c="dimmed">
        Only young accounts are counted, so that a mention by somebody famous is no raid.{' '}
        {raidHint(raid)}
      </Text>
      {errorOf('raid') && (
        <Text size="sm" c="var(--mantine-color-error)">
          {errorOf('raid')}
        </Text>
      )}
    </Stack>
  );
};
