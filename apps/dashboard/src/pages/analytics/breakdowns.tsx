import { Box, Group, Progress, Stack, Text } from '@mantine/core';
import { countryShares, funnelLabels, funnelSteps, lossText } from '../../labels/analytics.ts';
import { formatCount, formatPercent, keysOf } from '../../labels/format.ts';
import { blockReasonLabels } from '../../labels/rules.ts';
import type { Analytics } from '../../queries/records.ts';
import { useServer } from '../../queries/servers.ts';

type BreakdownProps = { analytics: Analytics };

export const Funnel = ({ analytics }: BreakdownProps) => (
  <BarList
    label="Steps of a verification, with how many reached each"
    total={analytics.totals.attempts}
    bars={funnelSteps(analytics).map((step) => ({
      name: step.stage === 'visited' ? 'Attempts: opened the page' : funnelLabels[step.stage],
      count: step.count,
      ...(step.lost > 0 && { note: `· ${lossText(step)}` }),
    }))}
  />
);

export const Reasons = ({ analytics: { blockReasons, totals } }: BreakdownProps) => {
  if (totals.blocked === 0) return <Text size="sm">Nobody was blocked in this period.</Text>;
  const bars = keysOf(blockReasonLabels)
    .map((reason) => ({
      name: blockReasonLabels[reason].label,
      count: blockReasons[reason],
      note: `(${formatPercent(blockReasons[reason] / totals.blocked)})`,
      color: 'red',
    }))
    .filter(({ count }) => count > 0)
    .sort((one, other) => other.count - one.count);
  return (
    <BarList
      label="Reasons, with how many were blocked for each"
      total={totals.blocked}
      bars={bars}
    />
  );
};

export const Countries = ({ analytics }: BreakdownProps) => {
  const { topCountries, totals } = analytics;
  if (topCountries.length === 0) return <Text size="sm">No country is known.</Text>;
  return (
    <BarList
      label="Countries, with attempts from each"
      total={totals.attempts}
      bars={countryShares(analytics).map(({ name, attempts }) => ({
        name,
        count: attempts,
        note: `(${formatPercent(attempts / totals.attempts)})`,
      }))}
    />
  );
};

/** The permissions of members now, whatever the period. */
export const TokenHealth = ({ analytics: { tokenHealth } }: BreakdownProps) => {
  const { members } = useServer()._count;
  const { valid, expired, revoked } = tokenHealth;
  // The two are counted at different moments.
  const without = Math.max(0, members - valid - expired - revoked);
  if (valid + expired + revoked === 0) {
    return <Text size="sm">No member has given permission to be brought back yet.</Text>;
  }
  return (
    <>
      <BarList
        label="Permissions of members, by their status"
        total={valid + expired + revoked + without}
        bars={[
          { name: 'Permission is valid', count: valid, color: 'green' },
          { name: 'Has to be renewed first', count: expired, color: 'yellow' },
          { name: 'Withdrawn: only an invite reaches them', count: revoked, color: 'red' },
          { name: 'Did not agree', count: without, color: 'gray' },
        ]}
      />
      <Text size="sm" c="dimmed" mt="md">
        Permissions are renewed automatically.
      </Text>
    </>
  );
};

type BarListProps = {
  bars: { name: string; count: number; note?: string; color?: string }[];
  /** The amount of a full bar. */
  total: number;
  label: string;
};

/** Amounts side by side as bars. The numbers are in the text; the bars only repeat them. */
const BarList = ({ bars, total, label }: BarListProps) => (
  <Stack component="ul" gap="sm" m={0} p={0} aria-label={label} style={{ listStyle: 'none' }}>
    {bars.map(({ name, count, note, color }) => (
      <Box component="li" key={name}>
        <Group justify="space-between" gap="xs" mb={4} style={{ rowGap: 0 }}>
          <Text size="sm">{name}</Text>
          <Text size="sm" className="holdfast-number" style={{ whiteSpace: 'nowrap' }}>
            <b>{formatCount(count)}</b>
            {note && (
              <Text span inherit c="dimmed">
                {' '}
                {note}
              </Text>
            )}
          </Text>
        </Group>
        <Progress value={(count / total) * 100} size="lg" color={color} aria-hidden />
      </Box>
    ))}
  </Stack>
);
