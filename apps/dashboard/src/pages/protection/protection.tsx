import { Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { Loaded } from '../../components/loaded.tsx';
import { PageHead } from '../../components/page.tsx';
import { ProtectionOff } from '../../components/protection-off.tsx';
import { SaveBar } from '../../components/save-bar.tsx';
import { useAction } from '../../components/use-action.ts';
import { isAtFields } from '../../labels/errors.ts';
import { changedByProtection, protectionQuery } from '../../queries/protection.ts';
import type { Protection } from '../../queries/records.ts';
import { useServer } from '../../queries/servers.ts';
import { AdvancedSection } from './advanced-section.tsx';
import { CannotStop } from './cannot-stop.tsx';
import { countChanges } from './changed-protection.ts';
import { DelaySection, RepairSection } from './consequence-sections.tsx';
import { DrillPanel } from './drill-panel.tsx';
import classes from './lines.module.css';
import { PendingWeakenings } from './pending-weakenings.tsx';
import { SwitchSection } from './switch-section.tsx';
import { TestProtection } from './test-protection.tsx';
import { TrustedSection } from './trusted-section.tsx';
import { useProtection } from './use-protection.ts';
import { WeakeningNote } from './weakening-note.tsx';

export const ProtectionPage = () => {
  const { id } = useServer();
  const query = useQuery(protectionQuery(id));
  return (
    <Stack maw={860} gap="md" className={classes.page}>
      <PageHead
        title="Protection"
        description="Stops people and bots that destroy the server, and raids of new accounts."
        actions={<TestProtection serverId={id} />}
      />
      <Loaded query={query} height={480}>
        {(protection) => <ProtectionOf key={id} serverId={id} protection={protection} />}
      </Loaded>
      <DrillPanel serverId={id} />
    </Stack>
  );
};

/** Both at once, with the usual thresholds: strengthening needs neither a code nor a delay. */
const TurnOn = ({ serverId }: { serverId: string }) => {
  const body = { antiNukeEnabled: true, antiRaidEnabled: true };
  const turnOn = useAction(() => api.updateProtection({ params: { id: serverId }, body }), {
    message: 'Attackers and raids are stopped from now on.',
    invalidates: changedByProtection(serverId),
  });
  return (
    <Button size="xs" loading={turnOn.isPending} onClick={() => turnOn.mutate()}>
      Turn on
    </Button>
  );
};

type ProtectionOfProps = { serverId: string; protection: Protection };

const ProtectionOf = ({ serverId, protection }: ProtectionOfProps) => {
  const form = useProtection(serverId, protection);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (countChanges(form.changes) > 0) form.save.mutate(form.changes);
      }}
    >
      <Stack gap="md">
        <ProtectionOff protection={protection}>
          <TurnOn serverId={serverId} />
        </ProtectionOff>
        <PendingWeakenings serverId={serverId} protection={protection} />
        <SwitchSection form={form} />
        <CannotStop protection={protection} />
        <RepairSection form={form} />
        <TrustedSection form={form} />
        <DelaySection form={form} />
        <AdvancedSection form={form} />
        <SaveBar
          count={countChanges(form.changes)}
          save={form.save}
          isErrorAtFields={isAtFields(form.save.error, Object.keys(form.settings))}
          onDiscard={form.discard}
        >
          <WeakeningNote form={form} />
        </SaveBar>
      </Stack>
    </form>
  );
};
