import { SimpleGrid, Text } from '@mantine/core';
import { Section } from '../../components/page.tsx';
import { WholeNumber } from '../../components/whole-number.tsx';
import { raidHint } from '../../labels/protection.ts';
import type { ProtectionForm } from './use-protection.ts';

const fields = [
  { name: 'joins', label: 'Joins', most: 1000 },
  { name: 'perSeconds', label: 'Within seconds', most: 3600 },
  { name: 'minAccountAgeDays', label: 'Of accounts younger than days', most: 3650 },
] as const;

export const RaidSection = ({ form: { settings, edit, errorOf } }: { form: ProtectionForm }) => {
  const { raid } = settings;
  return (
    <Section
      title="When joins are a raid"
      note="Only young accounts are counted, so that a mention by somebody famous is no raid."
    >
      <SimpleGrid cols={{ base: 1, xs: 3 }} verticalSpacing="sm">
        {fields.map(({ name, label, most }) => (
          <WholeNumber
            key={name}
            label={label}
            value={raid[name]}
            onChange={(value) => edit({ raid: { ...raid, [name]: value } })}
            min={1}
            max={most}
          />
        ))}
      </SimpleGrid>
      <Text size="xs" c="dimmed" mt="xs">
        {raidHint(raid)}
      </Text>
      {errorOf('raid') && (
        <Text size="sm" c="var(--mantine-color-error)">
          {errorOf('raid')}
        </Text>
      )}
    </Section>
  );
};
