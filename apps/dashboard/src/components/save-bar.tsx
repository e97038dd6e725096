import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { plural } from '../labels/format.ts';
import { FormError } from './form.tsx';

type SaveBarProps = {
  /** How many settings were changed and not saved. */
  count: number;
  save: { error: unknown; isPending: boolean };
  isErrorAtFields: boolean;
  onDiscard: () => void;
  /** What to know before saving. */
  children?: ReactNode;
};

/** At the end of a form of settings: stays visible while there are unsaved changes. */
export const SaveBar = ({ count, save, isErrorAtFields, onDiscard, children }: SaveBarProps) => {
  if (count === 0) return null;
  return (
    <Paper
      withBorder
      shadow="md"
      p="md"
      pos="sticky"
      bottom={16}
      style={{ zIndex: 2 }}
      component="section"
      aria-label="Unsaved changes"
    >
      <Stack gap="sm">
        {children}
        <FormError
          error={save.error}
          isAtFields={isErrorAtFields}
          title="The settings were not saved"
        />
        <Group justify="space-between" gap="sm">
          <Text size="sm" role="status">
            {plural(count, 'change')} not saved
          </Text>
          <Group gap="sm">
            <Button variant="default" onClick={onDiscard}>
              Discard
            </Button>
            <Button type="submit" loading={save.isPending}>
              Save
            </Button>
          </Group>
        </Group>
      </Stack>
    </Paper>
  );
};
