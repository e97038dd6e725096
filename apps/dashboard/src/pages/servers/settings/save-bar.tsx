import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { FormError } from '../../../parts/form-error.tsx';
import { plural } from '../../../parts/words.ts';
import type { SettingsForm } from './use-settings.ts';

/** Stays in sight while something is not saved. */
export const SaveBar = ({ form: { changes, save, discard } }: { form: SettingsForm }) => {
  const count = Object.keys(changes).length;
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
        <FormError error={save.error} title="The settings were not saved" />
        <Group justify="space-between" gap="sm">
          <Text size="sm" role="status">
            {plural(count, 'change')} not saved
          </Text>
          <Group gap="sm">
            <Button variant="default" onClick={discard}>
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
