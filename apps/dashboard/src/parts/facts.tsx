import { Box, SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';

type FactsProps = { facts: { label: string; value: ReactNode }[] };

/** What is known about one thing, side by side; the rest of its page explains it. */
export const Facts = ({ facts }: FactsProps) => (
  <SimpleGrid component="dl" m={0} cols={{ base: 2, sm: Math.min(4, facts.length) }} spacing="lg">
    {facts.map(({ label, value }) => (
      <Box key={label} miw={0}>
        <Text component="dt" size="sm" c="dimmed">
          {label}
        </Text>
        <Text component="dd" m={0} fw={500} className="holdfast-number">
          {value}
        </Text>
      </Box>
    ))}
  </SimpleGrid>
);
