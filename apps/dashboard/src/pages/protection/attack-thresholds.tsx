import type { ThresholdKind } from '@holdfast/contract';
import { Group, List, Text, Title } from '@mantine/core';
import { WholeNumber } from '../../components/whole-number.tsx';
import { keysOf } from '../../labels/format.ts';
import { atOnceLabels, defaultHint, thresholdLabels } from '../../labels/protection.ts';
import classes from './lines.module.css';
import type { ProtectionForm } from './use-protection.ts';

export const AttackThresholds = ({ form }: { form: ProtectionForm }) => (
  <div>
    <Title order={3} size="h5" mb={4}>
      What is an attack
    </Title>
    <Text size="sm" c="dimmed" mb="xs">
      So many by one person or bot in so many seconds. Smaller numbers react sooner. Faster than a
      person can, and slowly over an hour, is noticed too.
    </Text>
    <ul className={classes.kinds}>
      {keysOf(thresholdLabels).map((kind) => (
        <ThresholdLine key={kind} kind={kind} form={form} />
      ))}
    </ul>
  </div>
);

export const StoppedAtOnce = () => (
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
