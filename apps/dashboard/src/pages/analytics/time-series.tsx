import { AreaChart } from '@mantine/charts';
import { Table, VisuallyHidden } from '@mantine/core';
import { countWords, plural } from '../../parts/words.ts';
import { type AnalyticsRecord, periods, seriesLabel } from './analytics-words.ts';

/** Attempts and how they ended, by the hour or the day; the same as a table for those who cannot see it. */
export const TimeSeries = ({ analytics: { series, period, totals } }: TimeSeriesProps) => {
  const points = series.map((point) => ({ ...point, label: seriesLabel(point.at, period) }));
  return (
    <>
      <AreaChart
        h={280}
        data={points}
        dataKey="label"
        withLegend
        withDots={false}
        curveType="linear"
        valueFormatter={countWords}
        yAxisProps={{ allowDecimals: false, width: 40 }}
        xAxisProps={{ minTickGap: 24 }}
        accessibilityLayer={false}
        role="img"
        aria-label={`${plural(totals.attempts, 'attempt')}, ${countWords(totals.verified)} verified and ${countWords(totals.blocked)} turned away in ${periods[period] ?? period}. A table with all numbers follows.`}
        series={[
          { name: 'attempts', label: 'Attempts', color: 'blue.6' },
          { name: 'verified', label: 'Verified', color: 'teal.6' },
          { name: 'blocked', label: 'Turned away', color: 'red.6', strokeDasharray: '5 5' },
        ]}
      />
      <VisuallyHidden>
        <Table>
          <Table.Caption>Attempts over time</Table.Caption>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Time</Table.Th>
              <Table.Th>Attempts</Table.Th>
              <Table.Th>Verified</Table.Th>
              <Table.Th>Turned away</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {points.map(({ at, label, attempts, verified, blocked }) => (
              <Table.Tr key={at}>
                <Table.Td>{label}</Table.Td>
                <Table.Td>{countWords(attempts)}</Table.Td>
                <Table.Td>{countWords(verified)}</Table.Td>
                <Table.Td>{countWords(blocked)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </VisuallyHidden>
    </>
  );
};

type TimeSeriesProps = { analytics: AnalyticsRecord };
