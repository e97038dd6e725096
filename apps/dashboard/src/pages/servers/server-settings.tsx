import { Stack } from '@mantine/core';
import { PageHead } from '../../parts/page-head.tsx';
import { useServer } from '../../parts/use-server.ts';
import { BackupSection } from './settings/backup-section.tsx';
import { CaptchaSection, ChecksSection, LaterSection } from './settings/checks-section.tsx';
import { DangerZone } from './settings/danger-zone.tsx';
import { IdentitySection } from './settings/identity-section.tsx';
import { MoveSection } from './settings/move-section.tsx';
import { SaveBar } from './settings/save-bar.tsx';
import { useSettings } from './settings/use-settings.ts';

export const ServerSettings = () => {
  const server = useServer();
  // Another server's settings are another form: what was edited here must not go there.
  return <SettingsOf key={server.id} />;
};

const SettingsOf = () => {
  const server = useServer();
  const form = useSettings(server);
  return (
    <Stack maw={860} gap="md">
      <PageHead
        title="Settings"
        description="How newcomers are checked, and how the server is kept."
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
          <LaterSection form={form} />
          <MoveSection form={form} />
          <SaveBar form={form} />
        </Stack>
      </form>
      <DangerZone server={server} />
    </Stack>
  );
};
