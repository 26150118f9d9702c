-- A saved view is of one screen, so that Planning keeps filters as Delivery does; two screens may use one name.
-- Safe beside a running older version: yes. It saves views of Delivery, as the default says; until it is replaced it lists those of Planning among them.
ALTER TABLE "delivery_views" DROP CONSTRAINT "delivery_views_name";--> statement-breakpoint
ALTER TABLE "delivery_views" ADD COLUMN "screen" text DEFAULT 'DELIVERY' NOT NULL;--> statement-breakpoint
ALTER TABLE "delivery_views" ADD CONSTRAINT "delivery_views_name" UNIQUE NULLS NOT DISTINCT("tenant_group_id","owner_id","screen","clinic_id","name");--> statement-breakpoint
ALTER TABLE "delivery_views" ADD CONSTRAINT "delivery_views_screen" CHECK (screen in ('DELIVERY', 'PLANNING'));
