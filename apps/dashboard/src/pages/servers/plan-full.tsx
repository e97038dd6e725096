import { Alert, Anchor } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { Link } from 'react-router';
import { plural } from '../../parts/words.ts';

/** The plan allows no more of these. */
export const PlanFull = ({ what, most }: { what: 'bot' | 'server'; most: number }) => (
  <Alert variant="light" color="blue" icon={<IconInfoCircle aria-hidden />}>
    Your plan includes {plural(most, what)}, and you have {most === 1 ? 'it' : 'them all'}.{' '}
    <Anchor component={Link} to="/billing" inherit c="inherit" underline="always">
      Compare plans
    </Anchor>
  </Alert>
);
