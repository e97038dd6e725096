import { PageHead } from '../../parts/page-head.tsx';

export const Backups = () => <PageHead title="Backups" />;
