import { Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { groupByDay } from '../labels/days.ts';

type ByDayProps<Row> = {
  rows: Row[];
  timeOf: (row: Row) => string;
  children: (row: Row) => ReactNode;
};

/** A long list with a heading for each day. */
export const ByDay = <Row,>({ rows, timeOf, children }: ByDayProps<Row>) => (
  <Stack gap="lg">
    {groupByDay(rows, timeOf).map(({ day, rows: ofDay }) => (
      <section key={day} aria-label={day}>
        <Title order={2} size="h5" c="dimmed" fw={600}>
          {day}
        </Title>
        <Stack component="ul" gap={0} m={0} p={0} style={{ listStyle: 'none' }}>
          {ofDay.map(children)}
        </Stack>
      </section>
    ))}
  </Stack>
);
