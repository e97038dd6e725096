import { Anchor } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { Link } from 'react-router';

/** From one record back to where all of them are. */
export const BackLink = ({ to, children }: { to: string; children: string }) => (
  <Anchor component={Link} to={to} size="sm" display="inline-flex" mb="xs" style={{ gap: 4 }}>
    <IconArrowLeft size={18} aria-hidden />
    {children}
  </Anchor>
);
