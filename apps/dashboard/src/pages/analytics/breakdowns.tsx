import type { BlockReason } from '@holdfast/contract';
import { Text } from '@mantine/core';
import { BarList } from '../../parts/bar-list.tsx';
import { countWords } from '../../parts/words.ts';
import {
  type AnalyticsRecord,
  countryWords,
  funnelSteps,
  percentWords,
  reasonWords,
  stageWords,
} from './analytics-words.ts';

type BreakdownProps = { analytics: AnalyticsRecord };

/** Never wider than the step before: whoever reached one reached all before it. */
export const Funnel = ({ analytics: { funnel } }: BreakdownProps) => (
  <BarList
    label="Steps of a verification, with how many reached each"
    bars={funnelSteps(funnel).map(({ stage, count, lost, lostShare }) => ({
      name: stageWords[stage],
      count,
      ...(lost > 0 && { note: `${countWords(lost)} fewer (${percentWords(lostShare)})` }),
    }))}
  />
);

export const Reasons = ({ analytics: { blockReasons, totals } }: BreakdownProps) => {
  if (totals.blocked === 0) return <Text size="sm">Nobody was turned away in this time.</Text>;
  // The record names each reason once, so its keys are just these.
  const reasons = Object.keys(reasonWords) as BlockReason[];
  const bars = reasons
    .map((reason) => ({
      name: reasonWords[reason],
      count: blockReasons[reason],
      note: `(${percentWords(blockReasons[reason] / totals.blocked)})`,
      color: 'red',
    }))
    .filter(({ count }) => count > 0)
    .sort((one, other) => other.count - one.count);
  return <BarList label="Reasons, with how many were turned away for each" bars={bars} />;
};

export const Countries = ({ analytics: { topCountries, totals } }: BreakdownProps) => {
  if (topCountries.length === 0) return <Text size="sm">No country is known.</Text>;
  return (
    <BarList
      label="Countries, with attempts from each"
      bars={topCountries.map(({ country, attempts }) => ({
        name: countryWords(country),
        count: attempts,
        note: `(${percentWords(attempts / totals.attempts)})`,
      }))}
    />
  );
};

/** How it stands now, whatever the period. */
export const TokenHealth = ({ analytics: { tokenHealth } }: BreakdownProps) => {
  const { valid, expired, revoked } = tokenHealth;
  if (valid + expired + revoked === 0) {
    return <Text size="sm">No member has given permission to be brought back yet.</Text>;
  }
  return (
    <>
      <BarList
        label="Permissions of members, by how they stand"
        most={valid + expired + revoked}
        bars={[
          { name: 'Permission is good', count: valid, color: 'green' },
          { name: 'Has to be renewed first', count: expired, color: 'yellow' },
          { name: 'Taken back: only an invite reaches them', count: revoked, color: 'red' },
        ]}
      />
      <Text size="sm" c="dimmed" mt="md">
        As it stands now. Permissions are renewed by themselves.
      </Text>
    </>
  );
};
