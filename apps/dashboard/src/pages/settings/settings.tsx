import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useCallback } from 'react';
import { useLocation } from 'react-router';
import { FormError } from '../../components/form.tsx';
import { PageHead } from '../../components/page.tsx';
import { plural } from '../../labels/format.ts';
import { useServer } from '../../queries/servers.ts';
import { BackupSection } from './backup-section.tsx';
import { CaptchaSection, ChecksSection, UnusedSection } from './checks-section.tsx';
import { DangerZone } from './danger-zone.tsx';
import { IdentitySection, MoveSection } from './identity-section.tsx';
import { type SettingsForm, useSettings } from './use-settings.ts';

export const ServerSettings = () => {
  const server = useServer();
  // Another server gets a new form: edits for this one must not be sent to it.
  return <SettingsOf key={server.id} />;
};

const SettingsOf = () => {
  const server = useServer();
  const form = useSettings(server);
  const { hash } = useLocation();
  /** Who comes because the server is lost wants to move it. */
  const scrollHere = useCallback(
    (section: HTMLElement | null) => {
      if (hash === '#move') section?.scrollIntoView();
    },
    [hash],
  );
  return (
    <Stack maw={860} gap="md">
      <PageHead
        title="Settings"
        description="How newcomers are checked, and how the server is backed up."
      />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (Object.keys(form.changes).length > 0) form.save.mutate(form.changes);
        }}
      >
        <Stack gap="md">
          <IdentitySection server={server} form={form} />
          <CaptchaSection form={form} />
          <ChecksSection form={form} />
          <BackupSection form={form} />
          <UnusedSection form={form} />
          <div ref={scrollHere}>
            <MoveSection form={form} />
          </div>
          <SaveBar form={form} />
        </Stack>
      </form>
      <DangerZone server={server} />
    </Stack>
  );
};

/** Stays visible while there are unsaved changes. */
const SaveBar = ({ form }: { form: SettingsForm }) => {
  const { changes, save, discard, isErrorAtFields } = form;
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
