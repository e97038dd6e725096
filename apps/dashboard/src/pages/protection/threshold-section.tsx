import type { ThresholdKind } from '@holdfast/contract';
import { Group, List, Stack, Text, Title } from '@mantine/core';
import { Section } from '../../components/page.tsx';
import { WholeNumber } from '../../components/whole-number.tsx';
import { keysOf } from '../../labels/format.ts';
import { atOnceLabels, defaultHint, thresholdLabels } from '../../labels/protection.ts';
import classes from './threshold-section.module.css';
import type { ProtectionForm } from './use-protection.ts';

export const ThresholdSection = ({ form }: { form: ProtectionForm }) => (
  <Section
    title="What is watched"
    note="So many by one person or bot within so many seconds are an attack. Smaller numbers react sooner. Faster than a person can, and slowly over an hour, is noticed too."
  >
    <Stack gap="lg">
      <ul className={classes.kinds}>
        {keysOf(thresholdLabels).map((kind) => (
          <ThresholdLine key={kind} kind={kind} form={form} />
        ))}
      </ul>
      {form.errorOf('thresholds') && (
        <Text size="sm" c="var(--mantine-color-error)">
          {form.errorOf('thresholds')}
        </Text>
      )}
      <div>
        <Title order={3} size="h5" mb={4}>
          Stopped at once
        </Title>
        <Text size="sm" c="dimmed" mb="xs">
          The first time, unless somebody trusted does it:
        </Text>
        <List size="sm" spacing={2}>
          {atOnceLabels.map((label) => (
            <List.Item key={label}>{label}</List.Item>
          ))}
        </List>
      </div>
    </Stack>
  </Section>
);

type ThresholdLineProps = { kind: ThresholdKind; form: ProtectionForm };

const ThresholdLine = ({ kind, form: { settings, edit } }: ThresholdLineProps) => {
  const { thresholds } = settings;
  const { label } = thresholdLabels[kind];
  const change = (part: Partial<(typeof thresholds)[ThresholdKind]>) =>
    edit({ thresholds: { ...thresholds, [kind]: { ...thresholds[kind], ...part } } });
  return (
    <li className={classes.kind}>
      <div>
        <Text size="sm" fw={500}>
          {label}
        </Text>
        <Text size="xs" c="dimmed">
          {defaultHint(kind, thresholds[kind])}
        </Text>
      </div>
      <Group gap="xs" wrap="nowrap">
        <WholeNumber
          aria-label={`${label}: how many`}
          value={thresholds[kind].count}
          onChange={(count) => change({ count })}
          min={1}
          max={100}
          w={76}
        />
        <Text size="sm">in</Text>
        <WholeNumber
          aria-label={`${label}: within how many seconds`}
          value={thresholds[kind].perSeconds}
          onChange={(perSeconds) => change({ perSeconds })}
          min={1}
          max={3600}
          w={84}
        />
        <Text size="sm">seconds</Text>
      </Group>
    </li>
  );
};
